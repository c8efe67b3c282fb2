/** What lies over the views: the run list in narrow windows, dialogs, menus, and toasts. */
import type { NotifyAction, Run } from '@insight-host/api';
import { signal } from '@preact/signals';

/** Pixels of window width below which the run list lies over the view (runs.css says the same). */
export const NARROW = 1000;

/** Widths of the run panel in pixels: the least, and the one from which its list is a table. */
export const NARROWEST = 200;
export const TABLE_FROM = 440;

export type Dialog =
  | { readonly kind: 'palette' | 'keyboard' | 'columns' | 'share' }
  | { readonly kind: 'page'; readonly anchor: HTMLButtonElement }
  | { readonly kind: 'pages'; readonly tab: string; readonly anchor: HTMLButtonElement }
  | { readonly kind: 'run'; readonly run: Run; readonly anchor: HTMLButtonElement }
  | { readonly kind: 'damage'; readonly run: string | null }
  | { readonly kind: 'tags'; readonly plugin: string }
  | { readonly kind: 'docs'; readonly path: string };

export interface PanelMenu {
  readonly kind: 'group' | 'color' | 'sort';
  readonly anchor: HTMLButtonElement;
}

type Level = 'info' | 'warn' | 'error';
interface Toast {
  readonly id: number;
  readonly level: Level;
  readonly text: string;
  readonly action: NotifyAction | undefined;
}
const SHOWN_FOR = 6000;
const MOST = 4;

/** Short messages of the page and of plugins at its edge. Errors stay until they are closed. */
export class Toasts {
  readonly list = signal<readonly Toast[]>([]);
  private next = 0;

  show(level: Level, text: string, action?: NotifyAction): void {
    const old = this.list.value.filter((toast) => toast.text !== text || toast.level !== level);
    const toast = { id: this.next++, level, text, action };
    this.list.value = [...old, toast].slice(-MOST);
    if (level !== 'error') setTimeout(() => this.close(toast.id), SHOWN_FOR);
  }

  close(id: number): void {
    this.list.value = this.list.value.filter((toast) => toast.id !== id);
  }
}
