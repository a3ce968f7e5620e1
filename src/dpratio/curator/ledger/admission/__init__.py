"""What may enter a ledger: the rules of charges, approvals and steps."""
