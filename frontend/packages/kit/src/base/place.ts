export interface Anchor {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * `below`: under the anchor, their left or right edges in line. `beside`: to the lower right of it, as a tooltip of a
 * pointer.
 */
export type Side = 'below-left' | 'below-right' | 'beside';

const EDGE = 8; // pixels between a box and the window
const [NEAR, BESIDE] = [4, 14]; // pixels between a box and its anchor

/** Where a box of this size stands in a window: at its side of the anchor, or at the other side if there is no room. */
export function place(
  anchor: Anchor,
  size: { readonly width: number; readonly height: number },
  side: Side,
  window = { width: innerWidth, height: innerHeight },
): { readonly left: number; readonly top: number } {
  const gap = side === 'beside' ? BESIDE : NEAR;
  const fit = (first: number, other: number, length: number, room: number): number =>
    Math.max(EDGE, Math.min(first >= EDGE && first + length <= room - EDGE ? first : other, room - EDGE - length));
  const across =
    side === 'beside'
      ? [anchor.right + gap, anchor.left - gap - size.width]
      : side === 'below-left'
        ? [anchor.left, anchor.right - size.width]
        : [anchor.right - size.width, anchor.left];
  return {
    left: fit(across[0] as number, across[1] as number, size.width, window.width),
    top: fit(anchor.bottom + gap, anchor.top - gap - size.height, size.height, window.height),
  };
}

/** Puts an element of the top layer there. */
export function put(element: HTMLElement, anchor: Anchor, side: Side): void {
  const { left, top } = place(anchor, element.getBoundingClientRect(), side);
  element.style.left = `${left}px`;
  element.style.top = `${top}px`;
}
