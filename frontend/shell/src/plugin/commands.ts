/** Commands that plugins add to the palette. */
import { signal } from '@preact/signals';
import type { Disposer } from '@insight-host/api';

export interface PluginCommand {
  /** Name of the plugin. */
  readonly owner: string;
  /** In the language of the page. */
  readonly text: () => string;
  readonly run: () => void;
}

export class Commands {
  readonly list = signal<readonly PluginCommand[]>([]);

  add(command: PluginCommand): Disposer {
    this.list.value = [...this.list.value, command];
    return () => {
      this.list.value = this.list.value.filter((other) => other !== command);
    };
  }
}
