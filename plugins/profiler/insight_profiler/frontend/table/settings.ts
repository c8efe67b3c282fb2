import type { Setting } from '@insight-host/kit';

export type FieldName = 'all' | 'name' | 'type' | 'scope';

export interface Sort {
  readonly column: string;
  readonly down: boolean;
}

/** What the user has set of one table; in the URL. */
export class TableSettings {
  constructor(
    readonly query: Setting<string>,
    readonly regex: Setting<boolean>,
    readonly field: Setting<FieldName>,
    /** A column, with a minus before it for the largest first; empty: as the table comes. */
    readonly sort: Setting<string>,
    /** Columns that the user chose; none: those that make sense. */
    readonly columns: Setting<readonly string[]>,
    /** In which of its columns one may search. */
    readonly fields: readonly FieldName[],
  ) {}

  sorted(fallback: string): Sort {
    const text = this.sort.value || fallback;
    return text.startsWith('-') ? { column: text.slice(1), down: true } : { column: text, down: false };
  }

  /** A press on a head: the column the other way round, or another one, the largest number first. */
  turn(column: string, isText: boolean, fallback: string): void {
    const now = this.sorted(fallback);
    const down = now.column === column ? !now.down : !isText;
    const next = down ? `-${column}` : column;
    this.sort.set(next === fallback ? '' : next);
  }

  /** What goes into a question of the server. */
  ask(fallback: string): Readonly<Record<string, string | number | null>> {
    const { column, down } = this.sorted(fallback);
    return {
      q: this.query.value || null,
      regex: this.regex.value ? 1 : null,
      ...(this.fields.length > 1 ? { field: this.field.value } : {}),
      sort: column || null,
      order: column ? (down ? 'desc' : 'asc') : null,
    };
  }
}
