/**
 * Files of tests share a page, which is what makes them quick: each begins with an empty one, and with its own clock.
 */
import { vi } from 'vitest';

vi.useRealTimers();
document.body.replaceChildren();
document.head.replaceChildren();
localStorage.clear();
sessionStorage.clear();
history.replaceState(null, '', location.pathname);

// happy-dom has no top layer
HTMLElement.prototype.showPopover ??= () => undefined;
HTMLElement.prototype.hidePopover ??= () => undefined;
