"""The mount table names the file systems on which changes are not reported."""

from __future__ import annotations

from pathlib import Path

from insight_core.ingest.inotify import mounts, silent_mount


def test_the_mount_table_is_read(tmp_path: Path) -> None:
    table = tmp_path / "mountinfo"
    table.write_bytes(
        b"21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
        b"30 21 0:44 / /mnt/two\\040words rw - fuse.sshfs host: rw\n"
        b"31 21 0:45 / /mnt/quick rw - tmpfs none rw\n"
    )
    found = mounts(str(table))
    assert found == {"/": "ext4", "/mnt/two words": "fuse.sshfs", "/mnt/quick": "tmpfs"}
    assert mounts(str(tmp_path / "none")) == {}
    assert silent_mount("/mnt/two words/run", found) == ("/mnt/two words", "fuse.sshfs")
    assert silent_mount("/mnt", found) == ("/mnt/two words", "fuse.sshfs")
    assert silent_mount("/mnt/quick/run", found) is None
    assert silent_mount("/mnt/two", found) is None
    assert silent_mount("/mnt", {}) is None
