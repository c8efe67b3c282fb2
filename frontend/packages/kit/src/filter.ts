import { computed } from '@preact/signals';
import * as codecs from './codecs';
import { tagFilter } from './groups';
import type { Page, Setting } from './page';
import type { Tags } from './tags';

/** The filter of tags: what the user typed, and the tags of the selected runs that match. */
export class Filter {
  readonly text: Setting<string>;
  readonly match = computed(() => tagFilter(this.text.value));
  readonly shown = computed(() => [...this.tags.runsByTag.value.keys()].filter(this.match.value.matches));

  constructor(
    page: Page,
    private readonly tags: Tags,
  ) {
    this.text = page.setting('tags', codecs.text);
  }
}
