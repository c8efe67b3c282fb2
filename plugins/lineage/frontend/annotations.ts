import { signal, type ReadonlySignal as Live } from '@preact/signals';
import type { Annotation } from '@insight-host/api';
import { message, type Page } from '@insight-host/kit';

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
