import { computed } from '@preact/signals';
import * as codecs from './codecs';
import { SLOW, tagFilter } from './groups';
import type { Page, Setting } from './page';
import type { Tags } from './tags';

/** The filter of tags: what the user typed, and the tags of the selected runs that match. */
export class Filter {
  readonly text: Setting<string>;
  readonly match = computed(() => tagFilter(this.text.value));
  /** Why what the user typed is searched as text, in the user's language where the page knows it. */
  readonly error = computed(() => {
    const { error } = this.match.value;
    return error === SLOW ? this.page.t('filter.slow') : error;
  });
  readonly shown = computed(() => [...this.tags.runsByTag.value.keys()].filter(this.match.value.matches));

  constructor(
    private readonly page: Page,
    private readonly tags: Tags,
  ) {
    this.text = page.setting('tags', codecs.text);
  }
}
