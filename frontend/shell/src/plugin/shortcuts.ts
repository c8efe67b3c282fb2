/** Registry of keyboard shortcuts, and dispatch of key presses. */
import { signal } from '@preact/signals';
import type { Disposer } from '@insight-host/api';

export interface Shortcut {
  /** `k`, `Escape`, `Shift+F`, `Mod+k` (Ctrl, or Cmd on a Mac). */
  readonly key: string;
  /** In the user's language; '' where the help of the page has the words. */
  readonly description: string;
  readonly run: () => void;
  /** The plugin it belongs to, '' for the page. */
  readonly owner: string;
  /** Works while the user types in a field. */
  readonly always?: boolean;
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return (
    target instanceof HTMLInputElement && !/^(checkbox|radio|range|button|submit|reset|color|file)$/.test(target.type)
  );
}

/** Keys that the element with the focus has a use for itself. */
function isTaken({ target, key }: KeyboardEvent): boolean {
  if (isTyping(target)) return true;
  if (target instanceof HTMLInputElement && target.type === 'range') return /^(Arrow|Page|Home$|End$)/.test(key);
  return (
    (target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement) && (key === ' ' || key === 'Enter')
  );
}

export function keyMatches(key: string, event: KeyboardEvent): boolean {
  const parts = key.split('+').filter(Boolean);
  const name = key.endsWith('+') ? '+' : (parts.pop() ?? '');
  const wants = (modifier: string): boolean => parts.includes(modifier);
  if (wants('Mod') !== (isMac ? event.metaKey : event.ctrlKey) || (isMac ? event.ctrlKey : event.metaKey)) return false;
  if (wants('Alt') !== event.altKey) return false;
  if (wants('Shift') && !event.shiftKey) return false;
  // `?` needs Shift on most keyboards, so for signs Shift is part of the sign.
  if (!wants('Shift') && event.shiftKey && /^[a-z0-9]$|^.{2,}$/i.test(name)) return false;
  return event.key.toLowerCase() === name.toLowerCase();
}

export class Shortcuts {
  readonly list = signal<readonly Shortcut[]>([]);

  add(shortcut: Shortcut): Disposer {
    this.list.value = [...this.list.value, shortcut];
    return () => {
      this.list.value = this.list.value.filter((other) => other !== shortcut);
    };
  }

  /** Runs what the key means for the page or the plugin in front; an open dialog takes all keys but `always` ones. */
  press(event: KeyboardEvent, front: string, dialogOpen: boolean): void {
    if (event.defaultPrevented || event.isComposing) return;
    const found = this.list.value.find(
      (shortcut) =>
        (shortcut.owner === '' || shortcut.owner === front) &&
        (shortcut.always || (!dialogOpen && !isTaken(event))) &&
        keyMatches(shortcut.key, event),
    );
    if (!found) return;
    event.preventDefault();
    found.run();
  }
}

export function keyLabel(key: string): string {
  const names: Record<string, string> = {
    Mod: isMac ? '⌘' : 'Ctrl',
    Escape: 'Esc',
    ArrowLeft: '←',
    ArrowRight: '→',
    ArrowUp: '↑',
    ArrowDown: '↓',
    Backspace: '⌫',
    ' ': 'Space',
  };
  const parts = key.endsWith('+') ? [...key.slice(0, -1).split('+').filter(Boolean), '+'] : key.split('+');
  return parts.map((part) => names[part] ?? (part.length === 1 ? part.toUpperCase() : part)).join(' ');
}
