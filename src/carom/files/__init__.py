"""Reading and writing that is robust against full disks and hostile input.

`atomic` publishes files only when they are complete, `npz` reads archives and checks every declared size, and `unpack_limit`
limits the unpacked size of a file.
"""
