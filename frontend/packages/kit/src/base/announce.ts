const REST = 250; // ms: while a key is held down nothing is said

let region: HTMLElement | null = null;

/**
 * Has a screen reader say a text as soon as it is quiet, unless another text follows at once. Returns what takes it
 * back.
 */
export function announce(text: string): () => void {
  if (!region?.isConnected) {
    region = document.body.appendChild(document.createElement('div'));
    region.setAttribute('aria-live', 'polite');
    region.dataset['testid'] = 'announcement';
    region.style.cssText =
      'position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap';
  }
  const live = region;
  const timer = setTimeout(() => (live.textContent = text), REST);
  return () => clearTimeout(timer);
}
