"""The default search of `carom.deform.check`: chord boxes, and a front through two trees that is kept between keys.

Read `chord_boxes` and `front` first. `window_boxes` holds boxes at eight keys, `separating_direction_cache` the direction that
last separated each near pair, and `swept_tree` is the usual way, refitted at every frame, as the second method.
"""
