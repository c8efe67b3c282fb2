/** Annotations of runs by users. The host stores them; all pages of a host share them. */
import { computed, signal } from '@preact/signals';
import type { Annotation } from '@insight-host/api';
import { getJson, href, sendWithToken, type Writing } from '../data/http';
import { recall, told } from './browser';

export const ARCHIVE = 'archived'; // owner of what this browser keeps; the key are the logs

export const NO_ANNOTATION: Annotation = { displayName: '', note: '', remark: '', mark: 0, archived: false };

interface Fields {
  readonly display_name?: string;
  readonly note?: string;
  readonly remark?: string;
  readonly mark?: number;
  readonly archived?: boolean;
}

interface Answer {
  readonly generation: number;
  /** To be sent back with what is written; it says that this page has read it. */
  readonly token: string | null; // null: this client may not write
  readonly writable: boolean;
  readonly runs: Readonly<Record<string, Fields>>;
}

export class Annotations {
  /** Of runs with any. */
  readonly byRun = signal<ReadonlyMap<string, Annotation>>(new Map());
  readonly writable = signal(false);
  /** Runs that only this browser archives. */
  readonly ownArchived = signal(recall<readonly string[]>(ARCHIVE, told().logs ?? '', []));
  /** Names of archived runs. */
  readonly archived = computed<ReadonlySet<string>>(() => {
    const ofHost = [...this.byRun.value].filter(([, { archived }]) => archived).map(([run]) => run);
    return new Set([...ofHost, ...this.ownArchived.value]);
  });
  private token = '';
  private generation: number | undefined;
  private asked = 0;
  private underWay: Promise<void> | undefined;
  private written = 0;

  /** Asks again if the host has another `generation` than the page. */
  async follow(generation: number | undefined): Promise<void> {
    await this.underWay; // it may have that one
    if (generation !== undefined && generation !== this.generation) await this.refresh();
  }

  /** On an error the page keeps its annotations; the next change retries. */
  refresh(): Promise<void> {
    return (this.underWay = this.load());
  }

  private async load(): Promise<void> {
    const mine = ++this.asked;
    const { written } = this;
    const answer = await getJson<Answer>('data/annotations').catch(() => null);
    if (!answer) return;
    const { token, writable, runs } = answer;
    this.token = token ?? '';
    this.writable.value = writable;
    // An answer that another one overtook, or that does not know yet what was written meanwhile, is old.
    if (mine !== this.asked || written !== this.written) return;
    this.generation = answer.generation;
    this.byRun.value = new Map(Object.entries(runs).map(([run, fields]) => [run, annotationOf(fields)]));
  }

  /** Shows the change immediately, and reverts it if the host rejects it. */
  async write(run: string, fields: Partial<Annotation>): Promise<void> {
    const before = this.of(run);
    this.set([run], fields);
    try {
      await this.send(run, fields);
      this.set([run], fields);
    } catch (cause) {
      this.set(
        [run],
        Object.fromEntries(Object.keys(fields).map((field) => [field, before[field as keyof Annotation]])),
      );
      void this.refresh(); // whether anything can be written may have changed
      throw cause;
    }
  }

  private of(run: string): Annotation {
    return this.byRun.value.get(run) ?? NO_ANNOTATION;
  }

  /** Sends the change to the host. */
  async send(run: string, { displayName, ...others }: Partial<Annotation>): Promise<void> {
    const body = { run, ...others, ...(displayName === undefined ? {} : { display_name: displayName }) };
    await this.sendTo(href('data/annotations'), { method: 'PUT', body: JSON.stringify(body) });
  }

  /** Sends a request that writes with the token of the host, which the answer of the annotations has. */
  sendTo(url: string, request: Writing): Promise<Response> {
    return sendWithToken(
      () => this.token,
      () => this.refresh(),
      url,
      request,
    );
  }

  /** Shows the change. */
  set(runs: readonly string[], fields: Partial<Annotation>): void {
    const next = new Map(this.byRun.value);
    for (const run of runs) next.set(run, { ...this.of(run), ...fields });
    this.byRun.value = next;
    this.written++;
  }
}

function annotationOf(fields: Fields): Annotation {
  const { display_name: displayName = '', ...others } = fields;
  return { ...NO_ANNOTATION, ...others, displayName };
}
