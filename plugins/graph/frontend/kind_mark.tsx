import type { JSX } from 'preact';
import type { NodeKind } from './answers';

/** The outline that a kind of node has in the drawing, in small. */
export function KindMark({ kind }: { readonly kind: NodeKind | 'proxy' }): JSX.Element {
  return <i class={`kind ${kind}`} />;
}
