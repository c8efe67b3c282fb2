/** Parts of a drawing of which no more is known than their names and how they are joined. */
import type { Edge, GraphNode, NodeKind, Notice, Scope } from './answers';

export function plainNode(id: string, kind: NodeKind, more: Partial<GraphNode>): GraphNode {
  return {
    id,
    name: id,
    type: '',
    kind,
    children: 0,
    operators: 1,
    constants: 0,
    parameters: 0,
    inputs: 0,
    outputs: 0,
    output_types: [],
    device: '',
    devices: 0,
    time: null,
    dynamic: false,
    aside: false,
    structure: 0,
    ...more,
  };
}

export function dataEdge(from: string, to: string): Edge {
  return { from, to, kind: 'data', count: 1, label: '' };
}

export function plainScope(
  id: string,
  name: string,
  nodes: readonly GraphNode[],
  edges: readonly Edge[],
  notices: readonly Notice[] = [],
): Scope {
  return {
    id,
    name,
    kind: 'scope',
    path: id === '' ? [] : [{ id, name, kind: 'scope' }],
    graph: { nodes: nodes.length, edges: edges.length, scopes: 0, removed: 0, notices, timed: false },
    nodes,
    edges,
    proxies: [],
    omitted: { edges: 0, proxies: 0 },
  };
}
