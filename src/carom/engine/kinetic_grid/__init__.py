"""The kinetic grid: a hierarchical hash grid whose cell crossings are events. The default broad phase.

Read `engine` for the life of a body, then `loop`. `cells` is the grid and `layout` its sizes; `plan` gives each body its next
event, `attention` says when a pair needs one, `pairs` remembers pairs that do not follow from the cells, `images` handles
periodic space.
"""
