import type { JSX } from 'preact';
import type { NodeKind } from './answers';

/** The outline that a kind of node has in the drawing, in small. */
export function KindMark({ kind }: { readonly kind: NodeKind | 'proxy' }): JSX.Element {
  return (
    <svg class={`kind ${kind}`} viewBox="0 0 18 12" width="18" height="12" aria-hidden="true">
      {kind === 'stack' && <rect x="4" y="0.5" width="13" height="7.5" rx="2.5" />}
      {kind === 'constant' || kind === 'parameter' || kind === 'proxy' ? (
        <rect x="1" y="2" width="16" height="8" rx="4" />
      ) : kind === 'stack' ? (
        <rect x="1" y="3.5" width="13" height="7.5" rx="2.5" />
      ) : (
        <rect x="1" y="1" width="16" height="10" rx="3" />
      )}
      {kind === 'scope' && <path d="M9 4v4M7 6h4" />}
    </svg>
  );
}
