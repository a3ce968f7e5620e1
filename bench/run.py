"""Run every benchmark and print one line per figure: name value target."""

import noise
import release
import start

if __name__ == "__main__":
    for figure in (*release.figures(), *noise.figures(), *start.figures()):
        print(figure, flush=True)
