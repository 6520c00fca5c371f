"""Reading and writing that survives full disks and hostile input.

`atomic` publishes files only when they are complete, `npz` reads archives with every declared size checked, and `unpack_limit`
bounds what a file may unpack to.
"""
