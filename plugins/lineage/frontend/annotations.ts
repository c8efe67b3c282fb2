import { signal, type ReadonlySignal as Live } from '@preact/signals';
import type { Annotation, Run } from '@insight-host/api';
import { message, type Page } from '@insight-host/kit';
import { Column } from '@insight-host/kit/runs';

/** What people write down of runs: the host keeps it, and what it refused stays here. */
export class Annotations {
  /** False while the host takes no annotations. */
  readonly writable: Live<boolean>;
  /** By run, what was refused, so that nobody types it again. */
  readonly unwritten = signal<ReadonlyMap<string, Partial<Annotation>>>(new Map());

  constructor(private readonly page: Page) {
    this.writable = page.follow(page.ctx.runs.annotatable);
  }

  write(run: string, fields: Partial<Annotation>): void {
    const { ctx, t } = this.page;
    this.forget(run, fields);
    ctx.runs.annotate(run, fields).catch((error: unknown) => {
      this.unwritten.value = new Map(this.unwritten.value).set(run, { ...this.unwritten.value.get(run), ...fields });
      ctx.notify('error', t('annotation.refused', { run: this.page.nameOf(run), reason: message(error) }));
    });
  }

  /** Lets go of what could not be written down in these fields of a run. */
  forget(run: string, fields: Partial<Annotation>): void {
    const rest = Object.entries(this.unwritten.value.get(run) ?? {}).filter(([field]) => !(field in fields));
    const next = new Map(this.unwritten.value);
    if (rest.length > 0) next.set(run, Object.fromEntries(rest));
    else next.delete(run);
    this.unwritten.value = next;
  }
}

/** What was written down as columns: the page knows it first. */
export function annotationColumns(page: Page, names: readonly string[]): readonly Column[] {
  const runs = names.map((name) => page.runsByName.value.get(name));
  const column = (name: string, type: 'str' | 'int', of: (run: Run) => string | number): Column => {
    const values = runs.map((run) => (run && of(run)) || null);
    return new Column(
      { name, title: name, group: 'annotation', type, count: values.filter((value) => value !== null).length },
      values,
    );
  };
  return [
    column('display_name', 'str', (run) => (run.displayName === run.name ? '' : run.displayName)),
    column('note', 'str', (run) => run.note),
    column('remark', 'str', (run) => run.remark),
    column('mark', 'int', (run) => run.mark),
  ];
}
