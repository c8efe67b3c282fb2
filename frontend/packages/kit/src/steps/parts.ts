import {
  cardParts,
  type CardParts,
  codecs,
  type Page,
  type Setting,
  type SeriesChoice,
  RequestQueue,
  type XKind,
} from '@insight-host/kit/lab';
import { computed, type ReadonlySignal as Live } from '@preact/signals';
import { Playback } from './playback';
import { RecordTables } from './records';
import { Stands } from './stands';

const AT_ONCE = 4; // requests

/** What a tab of cards with sliders is made of; without more, one card for each tag and run. */
export interface StepParts extends CardParts {
  /** How records are named: by step, by time since the first, by date. */
  readonly time: Setting<XKind>;
  readonly attempts: Setting<'last' | 'all'>;
  /** Whether attempts differ: the list of tags says so, or a table that leaves records out. */
  readonly hasRestarts: Live<boolean>;
  /** For what cards ask. */
  readonly queue: RequestQueue;
  readonly tables: RecordTables;
  readonly stands: Stands;
  readonly playback: Playback;
}

/** The parameters are those of `cardParts`. */
export function stepParts(page: Page, perTag: boolean | Live<boolean> = false, series?: SeriesChoice): StepParts {
  const parts = cardParts(page, perTag, series);
  const attempts = page.setting('attempts', codecs.attempts);
  const queue = new RequestQueue(AT_ONCE);
  const tables = new RecordTables(page, queue, attempts);
  return {
    ...parts,
    time: page.setting('time', codecs.xKind),
    attempts,
    hasRestarts: computed(() => attempts.value === 'all' || parts.tags.hasAttempts.value || tables.anyHidden.value),
    queue,
    tables,
    stands: new Stands(page, tables),
    playback: new Playback(page.ctx.memory),
  };
}
