import { signal } from '@preact/signals';
import type { PluginContext } from '@insight-host/api';
import { changed } from '@insight-host/kit/lab';
import type { Threshold } from '@insight-host/kit/lines';
import { readThresholds } from './conditions';

/** Thresholds by tag, which this browser remembers. */
export class Thresholds {
  readonly byTag = signal<ReadonlyMap<string, Threshold>>(new Map());

  constructor(private readonly memory: PluginContext['memory']) {
    this.byTag.value = readThresholds(memory.get<unknown>('thresholds', {}));
  }

  set(tags: readonly string[], threshold: Threshold | null): void {
    let next = this.byTag.value;
    for (const tag of tags) next = changed(next, tag, threshold);
    this.byTag.value = next;
    this.memory.set('thresholds', Object.fromEntries(next));
  }
}
