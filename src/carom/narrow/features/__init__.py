"""First contact of a vertex and a face, or of two edges, with linear motion: a certified filter, then exact integers.

`filter_feature` is for kernels: one feature pair, a window of time, FILTER_WORK float64 of workspace. What it leaves UNDECIDED
goes to `decide_features`, which is compiled when first needed.
"""

from carom.narrow.features.decide import decide_features, feature_times
from carom.narrow.features.differences import FILTER_WORK
from carom.narrow.features.filter import filter_feature
from carom.narrow.features.margin import feature_margin_times
from carom.narrow.features.root_order import ROOT_AFTER, ROOT_UNSURE, ROOT_WORK, root_order
from carom.narrow.features.verdict import CLEAR, CONTACT, UNDECIDED

__all__ = [
    "CLEAR",
    "CONTACT",
    "FILTER_WORK",
    "ROOT_AFTER",
    "ROOT_UNSURE",
    "ROOT_WORK",
    "UNDECIDED",
    "decide_features",
    "feature_margin_times",
    "feature_times",
    "filter_feature",
    "root_order",
]
