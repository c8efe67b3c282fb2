/** Parts of answers, for tests. */
import type { Edge, GraphNode, NodeKind, Proxy, Scope } from './answers';
import { dataEdge, plainNode, plainScope } from './pipeline';

export function node(id: string, kind: NodeKind = 'operator', more: Partial<GraphNode> = {}): GraphNode {
  return plainNode(id, kind, { name: id.split('/').at(-1) ?? id, type: kind === 'scope' ? '' : 'Op', ...more });
}

export function edge(from: string, to: string, more: Partial<Edge> = {}): Edge {
  return { ...dataEdge(from, to), ...more };
}

export function proxy(of: string): Proxy {
  return { id: `proxy:${of}`, name: of, type: '', kind: 'proxy', of, stands_for: 'operator', path: [] };
}

export function scope(
  id: string,
  nodes: readonly GraphNode[],
  edges: readonly Edge[],
  proxies: readonly Proxy[] = [],
): Scope {
  return { ...plainScope(id, id, nodes, edges), proxies };
}
