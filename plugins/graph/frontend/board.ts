import { codecs, type Page } from '@insight-host/kit';
import { computed, signal } from '@preact/signals';
import { Explorer } from './explorer';
import { Layouts } from './layout/layouts';
import { Looks } from './looks';
import { Records, Sources } from './records';

export const COLORINGS = ['type', 'scope', 'structure', 'device', 'time'] as const;
export type Coloring = (typeof COLORINGS)[number];

const SETTLE = 300; // ms without a key before the URL says what is searched

export type GraphParts = ReturnType<typeof graphParts>;

/** What the graph tab is made of. */
export function graphParts(page: Page, layouts = new Layouts()) {
  const records = new Records(page);
  const looks = new Looks(page, records);
  const readable = page.setting('readable', codecs.flag(false));
  const texts = page.setting('shapes', codecs.flag(false));
  const coloring = page.setting('color', codecs.choice<Coloring>(COLORINGS, 'type'));
  const profile = page.setting('profile', codecs.name);
  const timedBy = computed(() => {
    if (coloring.value !== 'time') return null;
    const { value: profiles } = records.profiles;
    return profile.value !== null && profiles.includes(profile.value) ? profile.value : (profiles[0] ?? null);
  });
  const sources = new Sources(page, records, readable, timedBy);
  return {
    page,
    records,
    looks,
    sources,
    explorer: new Explorer({ page, records, looks, sources, texts }, layouts),
    readable,
    /** Texts of edges: types and shapes. */
    texts,
    coloring,
    /** What colours say now: a pipeline has types alone. */
    colored: computed<Coloring>(() => (records.show.value === 'graph' ? coloring.value : 'type')),
    /** Tag of the profile whose times are shown; of several the first without a word of the user. */
    profile,
    screen: page.setting('screen', codecs.flag(false)),
    panel: page.setting('panel', codecs.flag(true)),
    legend: page.setting('legend', codecs.flag(true)),
    /** What the search field says. */
    search: page.setting('q', codecs.text, SETTLE),
    regex: page.setting('regex', codecs.flag(false)),
    /** What is asked for in a dialog. */
    dialog: signal<'removed' | 'notices' | 'difference' | 'precision' | null>(null),
  };
}
