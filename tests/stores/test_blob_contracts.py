"""Every blob store keeps every promise of its port."""

import pytest

from reach.stores import open_blobs
from reach.testing.contracts import BlobStoreContract


class TestMemoryBlobs(BlobStoreContract):
    async def make(self):
        return open_blobs("memory://", self.root)

    @pytest.fixture(autouse=True)
    def _root(self, tmp_path):
        self.root = tmp_path


class TestFileBlobs(TestMemoryBlobs):
    async def make(self):
        return open_blobs("file://blobs", self.root)
