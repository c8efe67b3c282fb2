import { codecs, type Page, type Setting } from '@insight-host/kit';
import { sortOf, sortText, turned, type Sort } from '@insight-host/kit/table';

const FIELDS = ['all', 'name', 'type', 'scope'] as const;
export type FieldName = (typeof FIELDS)[number];
const SETTLE = 250; // ms without a key before the URL says what is searched

/** What the user has set of one table; in the URL. */
export class TableSettings {
  readonly query: Setting<string>;
  readonly regex: Setting<boolean>;
  readonly field: Setting<FieldName>;
  /** A column, with a minus before it for the largest first; empty: as the table comes. */
  readonly sort: Setting<string>;
  /** Columns that the user chose; none: those that make sense. */
  readonly columns: Setting<readonly string[]>;

  /** `fields`: in which of its columns one may search. */
  constructor(
    page: Page,
    prefix: string,
    readonly fields: readonly FieldName[],
  ) {
    const key = (name: string): string => (prefix ? `${prefix}-${name}` : name);
    this.query = page.setting(key('q'), codecs.text, SETTLE);
    this.regex = page.setting(key('regex'), codecs.flag(false));
    this.field = page.setting(key('field'), codecs.choice<FieldName>(FIELDS, 'all'));
    this.sort = page.setting(key('sort'), codecs.text);
    this.columns = page.setting(key('columns'), codecs.names);
  }

  sorted(fallback: string): Sort {
    return sortOf(this.sort.value || fallback);
  }

  /** A press on a head: the column the other way round, or another one, the largest number first. */
  turn(column: string, isText: boolean, fallback: string): void {
    const next = turned([this.sorted(fallback)], column, false, !isText)
      .map(sortText)
      .join();
    this.sort.set(next === fallback ? '' : next);
  }

  /** What goes into a question of the server. */
  ask(fallback: string): Readonly<Record<string, string | number | null>> {
    const { key: column, down } = this.sorted(fallback);
    return {
      q: this.query.value || null,
      regex: this.regex.value ? 1 : null,
      ...(this.fields.length > 1 ? { field: this.field.value } : {}),
      sort: column || null,
      order: column ? (down ? 'desc' : 'asc') : null,
    };
  }
}
