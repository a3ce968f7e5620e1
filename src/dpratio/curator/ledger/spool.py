"""Bytes that were drawn and wait for the ledger: an outage at sealing loses nothing.

Noise is drawn once for a charge. What was drawn is written here before it is sealed,
for its owner alone, and removed afterwards; when the ledger is back, the same release
id seals these bytes and no other draw.
"""

import contextlib
import os
import re
import stat
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from dpratio.checks import require
from dpratio.curator.ledger.account.held import Held
from dpratio.curator.noise.entropy import fresh_salt
from dpratio.errors import DpratioError, LedgerFailed, LedgerRefused
from dpratio.release.files import plan_hash, release_from_bytes

_DRAWN = "json"
_CLAIM = "claim"
_WAITING = re.compile(r"([0-9a-f]{32})\.json")
_ATTEMPTS = 50
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Spool:
    """A folder of one data holder: a file for each release that is yet to be sealed."""

    folder: Path
    is_usual: bool = False

    def require_usable(self) -> None:
        """Find out before the charge whether bytes could be kept here.

        Raises:
            LedgerFailed: When the folder cannot be made, or is not its owner's alone.
        """
        probe = f".{os.getpid()}-{threading.get_ident()}"

        def try_out(folder: int) -> None:
            os.close(os.open(probe, _NEW, 0o600, dir_fd=folder))
            os.unlink(probe, dir_fd=folder)

        try:
            self._inside(try_out)
        except OSError as error:
            self._refuse(f"cannot be used: {error.strerror}")
        self._tidy()

    def keep(self, release_id: str, content: bytes, kind: str = _DRAWN) -> bool:
        """Write the bytes of a release and wait until they are on the disk.

        Returns:
            Whether they are; where they are not, sealing may still succeed.
        """
        name, part = f"{release_id}.{kind}", f".{release_id}.{kind}"

        def write(folder: int) -> None:
            descriptor = os.open(part, _NEW, 0o600, dir_fd=folder)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            # Unlike a new name, a second one replaces nothing.
            os.link(part, name, src_dir_fd=folder, dst_dir_fd=folder)
            os.unlink(part, dir_fd=folder)
            os.fsync(folder)

        try:
            self._inside(write)
        except (OSError, LedgerFailed):
            return False
        return True

    def kept(self, release_id: str) -> bytes | None:
        """Give the bytes of a release that waits here.

        Raises:
            LedgerFailed: When they are not their owner's alone, or cannot be read.
        """
        return self._read(f"{release_id}.{_DRAWN}")

    def claim(self, release_id: str) -> str | None:
        """Look for the secret of a release that was opened, and nobody knows it."""
        content = self._read(f"{release_id}.{_CLAIM}")
        return None if content is None else content.decode("ascii", "replace")

    def take(self, release_id: str) -> str | None:
        """Take that secret away: of all who try, one gets it.

        It is given a name that nobody else knows before it is read: another one may lie
        under the old name by then.
        """
        if self.claim(release_id) is None:
            return None
        old, own = f"{release_id}.{_CLAIM}", f".{release_id}.{fresh_salt()}"
        try:
            with self._opened() as folder:
                os.rename(old, own, src_dir_fd=folder, dst_dir_fd=folder)
                os.fsync(folder)
                content = self._read(own)
                os.unlink(own, dir_fd=folder)
        except OSError:
            return None
        return None if content is None else content.decode("ascii", "replace")

    def waiting(self) -> list[str]:
        """The ids of all releases that were drawn and wait here."""
        try:
            names = [path.name for path in self.folder.iterdir()]
        except OSError:
            return []
        found = (_WAITING.fullmatch(name) for name in names)
        return sorted(each[1] for each in found if each is not None)

    def _read(self, name: str) -> bytes | None:
        """Read a file that only its owner can read; None if there is no file."""
        try:
            descriptor = os.open(self.folder / name, _OLD)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._refuse(f"cannot be read: {error.strerror}")
        with os.fdopen(descriptor, "rb") as file:
            if not _is_private(os.fstat(descriptor), stat.S_ISREG):
                self._refuse("holds a file that others may write or read")
            return file.read()

    def drop(self, release_id: str) -> None:
        """Remove the bytes of a release that is sealed."""
        with contextlib.suppress(OSError):
            for kind in (_DRAWN, _CLAIM):
                (self.folder / f"{release_id}.{kind}").unlink(missing_ok=True)
                (self.folder / f".{release_id}.{kind}").unlink(missing_ok=True)
        self._tidy()

    def _inside(self, work: Callable[[int], None]) -> None:
        """Work inside the folder; again where others removed it, empty, meanwhile."""
        for _ in range(_ATTEMPTS):
            with contextlib.suppress(FileNotFoundError, FileExistsError):
                with self._opened() as folder:
                    work(folder)
                return
        with self._opened() as folder:
            work(folder)

    def _tidy(self) -> None:
        """Remove the folder where it is empty."""
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    @contextlib.contextmanager
    def _opened(self) -> Iterator[int]:
        """Open the folder, made where it is missing, and look at whose it is."""
        # Whoever names a folder in one that is missing may have mistyped it.
        self.folder.mkdir(mode=0o700, parents=self.is_usual, exist_ok=True)
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self.folder, flags)
        try:
            if not _is_private(os.fstat(descriptor), stat.S_ISDIR):
                self._refuse("is not its owner's alone: make it yours, with mode 0700")
            yield descriptor
        finally:
            os.close(descriptor)

    def _refuse(self, words: str) -> NoReturn:
        raise LedgerFailed(
            f"the spool '{self.folder}' {words}. Mend it, or name another folder with "
            "--spool, or Ledger(…, spool=…)."
        ) from None


def usual_spool(ledger: Path | None) -> Spool:
    """Give the usual spool: beside a ledger file, or in the home of its user."""
    if ledger is None:
        place = Path.home() / ".local" / "state" / "dpratio" / "spool"
        return Spool(place, is_usual=True)
    real = ledger.resolve()
    return Spool(real.with_name(f"{real.name}.spool"))


def spool_of(given: str | os.PathLike[str] | None, ledger: Path | None) -> Spool:
    """Give the spool that was named, or the usual one of a ledger."""
    if given is None:
        return usual_spool(ledger)
    is_text = isinstance(given, str | os.PathLike) and bool(str(given))
    named = is_text and "\0" not in str(given)
    require(named, "a spool is a folder", given)
    return Spool(Path(given))


def keep_until(
    seal: Callable[[], object],
    spool: Spool,
    release_id: str,
    content: bytes,
) -> None:
    """Keep the bytes of a release until they are sealed.

    Raises:
        LedgerRefused: When they may not be sealed; then they are dropped.
        LedgerFailed: When they could not be; then they wait, where they were kept.
    """
    is_kept = spool.keep(release_id, content)
    try:
        seal()
    except LedgerFailed as error:
        if not is_kept:
            raise
        failure = str(error)
    except LedgerRefused:
        if is_kept:
            spool.drop(release_id)  # They belong to no charge.
        raise
    else:
        spool.drop(release_id)
        return
    raise LedgerFailed(
        f"{failure} What was drawn for release {release_id} waits in the spool of "
        "this machine: ask for it again by its id."
    )


def drawn_for(held: Held, spool: Spool, release_id: str, hashed: str) -> bytes | None:
    """Find what was drawn for a release that is opened and not sealed.

    Raises:
        LedgerFailed: When it was not drawn for this charge.
    """
    is_waiting = (held.state, held.plan) == ("opened", hashed)
    spooled = spool.kept(release_id) if is_waiting else None
    if spooled is not None:
        require_drawn_for(held, release_id, spooled)
    return spooled


def require_drawn_for(held: Held, release_id: str, content: bytes) -> None:
    """Refuse spooled bytes that were not drawn for this charge in this ledger.

    Raises:
        LedgerFailed: When they are damaged, or of another release, plan or ledger.
    """
    try:
        drawn = release_from_bytes(content)
        plan = plan_hash(drawn.plan)  # type: ignore[arg-type]  # others have none
    except (DpratioError, ValueError):
        drawn = None
    heads = [each.hash for each in held.entries if each.kind == "opened"]
    if (
        drawn is None
        or (drawn.id, [drawn.ledger_head]) != (release_id, heads)
        or plan != held.plan
    ):
        raise LedgerFailed(
            f"what the spool holds for release {release_id} is damaged, or was drawn "
            "for another release, plan or ledger. It is not sealed; find the spool of "
            "the machine that ran the release."
        )


def _is_private(found: os.stat_result, is_kind: Callable[[int], bool]) -> bool:
    """Tell whether something is ours and nobody else may look at it."""
    alone = found.st_uid == os.geteuid() and not found.st_mode & 0o077
    return is_kind(found.st_mode) and alone
