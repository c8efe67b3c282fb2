/** Spreads what is drawn over frames: many charts that change at once do not hold up the page. */

const SHARE = 8; // ms of a frame, after which the others wait for the next one

const waiting = new Set<() => void>();
let frame = 0;

/** Draws in the next frame, once, or in a later one where others come first. */
export function drawSoon(draw: () => void): void {
  waiting.add(draw);
  frame ||= requestAnimationFrame(drawSome);
}

/** No longer draws. */
export function drawNoMore(draw: () => void): void {
  waiting.delete(draw);
}

function drawSome(): void {
  frame = 0;
  const end = performance.now() + SHARE;
  try {
    for (const draw of waiting) {
      waiting.delete(draw);
      draw();
      if (performance.now() > end) return;
    }
  } finally {
    if (waiting.size > 0) frame = requestAnimationFrame(drawSome);
  }
}
