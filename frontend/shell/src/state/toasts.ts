/** Short messages of plugins at the edge of the page. Errors stay until they are closed. */
import { signal } from '@preact/signals';

export type Level = 'info' | 'warn' | 'error';
export interface Toast {
  readonly id: number;
  readonly level: Level;
  readonly text: string;
}
const SHOWN_FOR = 6000;
const MOST = 4;

export class Toasts {
  readonly list = signal<readonly Toast[]>([]);
  private next = 0;

  show(level: Level, text: string): void {
    const old = this.list.value.filter((toast) => toast.text !== text || toast.level !== level);
    const toast = { id: this.next++, level, text };
    this.list.value = [...old, toast].slice(-MOST);
    if (level !== 'error') setTimeout(() => this.close(toast.id), SHOWN_FOR);
  }

  close(id: number): void {
    this.list.value = this.list.value.filter((toast) => toast.id !== id);
  }
}
