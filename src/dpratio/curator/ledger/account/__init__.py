"""What an account is: scopes, costs, sources, and a chain of lines."""
