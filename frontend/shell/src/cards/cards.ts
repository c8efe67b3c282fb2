/** Describes cards as JSON, to keep them in reports, and as addresses, to link to them. */
import type { CardSpec } from '@insight-host/api';
import { formatHash, LOOK_KEYS } from '../state/hash';
import type { Runs } from '../state/runs';
import { selectionCodec } from '../state/selection';
import type { ViewUrl } from '../state/url';

/** The plugin whose card it is, and the state that the card is shown with. */
export interface CardScope {
  readonly name: string;
  readonly url: ViewUrl;
  readonly runs: Runs;
}

const KEPT = ['runs', ...LOOK_KEYS];
const TRANSIENT = /\.full$/; // whether a card fills the screen concerns its tab only

export function specOf({ name, url, runs }: CardScope, card: string): CardSpec {
  const own = [...url.all()].filter(([key]) => KEPT.includes(key) || key.startsWith(`${name}.`));
  const state = Object.fromEntries(own.filter(([key]) => !TRANSIENT.test(key)));
  if (runs.filterText.value === '') return { plugin: name, card, state };
  // only the run list evaluates a filter: the card keeps its outcome
  const names = runs.selected.value.map((run) => run.name);
  return { plugin: name, card, state: { ...state, runs: selectionCodec.format({ kind: 'list', names }) ?? '' } };
}

/** The address of a page that shows the card alone. */
export function addressOf({ plugin, card, state }: CardSpec): string {
  return new URL(formatHash(new Map(Object.entries({ ...state, tab: plugin, embed: card }))), document.baseURI).href;
}
