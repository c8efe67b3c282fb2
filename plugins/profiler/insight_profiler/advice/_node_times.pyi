import numpy as np
from numpy.typing import NDArray

_Nodes = NDArray[np.int64]

def node_times(
    before: _Nodes,
    lag: _Nodes,
    launch: _Nodes,
    latency: _Nodes,
    other: _Nodes,
    delay: _Nodes,
    duration: _Nodes,
) -> tuple[_Nodes, _Nodes]: ...
