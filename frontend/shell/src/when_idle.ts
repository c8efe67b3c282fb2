/** Later, when the browser has nothing else to do. */
const AT_LATEST = 3000; // ms

export function whenIdle(run: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(run, { timeout: AT_LATEST });
  else setTimeout(run, AT_LATEST / 10); // Safari
}
