/** Notes of users on charts: shared by all pages of the host, or kept in this browser where the host saves nothing. */
import { batch, computed, signal, type ReadonlySignal as Live } from '@preact/signals';
import type { Disposer, Marker, PluginContext, SavedEntry } from '@insight-host/api';
import { retried } from './saved_retry';

/** Colours by name; other texts have the faint colour of a mark. */
export const NOTE_COLORS: Readonly<Record<string, string>> = {
  red: '#e5484d',
  orange: '#e8820c',
  green: '#30a46c',
  blue: '#3b82f6',
  purple: '#a855f7',
};

export interface Note {
  readonly id: string;
  readonly step: number;
  readonly text: string;
  /** A key of `NOTE_COLORS`, or "". */
  readonly color: string;
  /** The chart and the run that the note is about; null: all of them. */
  readonly tag: string | null;
  readonly run: string | null;
}

const ENTRY = 'notes'; // of what is saved, on the host and in the browser
export const LONGEST_NOTE = 500; // letters

/** The notes of what was saved; anything that is not one is left out. */
export function readNotes(saved: unknown): readonly Note[] {
  const found = Array.isArray(saved) ? (saved as readonly Partial<Note>[]) : [];
  return found.flatMap((one) =>
    typeof one?.id === 'string' && Number.isSafeInteger(one.step) && typeof one.text === 'string'
      ? [
          {
            id: one.id,
            step: Number(one.step),
            text: one.text.slice(0, LONGEST_NOTE),
            color: typeof one.color === 'string' && Object.hasOwn(NOTE_COLORS, one.color) ? one.color : '',
            tag: typeof one.tag === 'string' ? one.tag : null,
            run: typeof one.run === 'string' ? one.run : null,
          },
        ]
      : [],
  );
}

/** An id that no other note has; `crypto.randomUUID` is only there in secure contexts. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(3)), (part) => part.toString(36)).join('-');
}

/** With the note in place of the one of its id, or without it. */
function changed(notes: readonly Note[], id: string, note: Note | null): readonly Note[] {
  if (!note) return notes.filter((one) => one.id !== id);
  return notes.some((one) => one.id === id) ? notes.map((one) => (one.id === id ? note : one)) : [...notes, note];
}

export class Notes {
  private readonly shared = signal<readonly Note[]>([]);
  private readonly own: { value: readonly Note[] };
  private version: string | null = null;
  private readonly saves = signal(true);
  /** By step. */
  readonly all: Live<readonly Note[]>;
  /** Whether the host saves notes; true until it is known. */
  readonly shares: Live<boolean> = this.saves;

  constructor(private readonly ctx: PluginContext) {
    const own = signal(readNotes(ctx.memory.get<unknown>(ENTRY, [])));
    this.own = own;
    this.all = computed(() => [...this.shared.value, ...own.value].sort((a, b) => a.step - b.step));
  }

  /** Follows what the host has, until the disposer is called. */
  follow(): Disposer {
    return this.ctx.saved.entries.subscribe((entries) => {
      if (!entries) return;
      this.saves.value = this.ctx.saved.writable.value;
      const found = entries.find(({ name }) => name === ENTRY)?.version ?? null;
      // a host that is away is the page's affair; with its next list the notes come, too
      if (found !== this.version) void this.read().catch(() => undefined);
    });
  }

  /** Whether the note can be changed: notes of the host only while it saves. */
  isOwn({ id }: Note): boolean {
    return this.saves.value || this.own.value.some((one) => one.id === id);
  }

  /** Writes a note down, or takes the one of this id away. Rejects with the reason of the host. */
  async put(id: string, note: Note | null): Promise<void> {
    if (this.ctx.saved.entries.value === null) await this.ctx.saved.list(); // only then it is known who saves
    this.saves.value = this.ctx.saved.writable.value;
    if (!this.saves.value || this.own.value.some((one) => one.id === id)) {
      this.own.value = changed(this.own.value, id, note);
      this.ctx.memory.set(ENTRY, this.own.value);
      return;
    }
    await retried(async () => {
      await this.read();
      const next = changed(this.shared.value, id, note);
      this.take(await this.ctx.saved.set(ENTRY, next, this.version), next);
    });
  }

  /** The notes of these charts and runs, as marks. */
  marks(tags: readonly string[], runs: readonly string[], open: () => void): readonly Marker[] {
    return this.all.value
      .filter(({ tag, run }) => (tag === null || tags.includes(tag)) && (run === null || runs.includes(run)))
      .map(({ step, text, color, run }) => ({
        step,
        text,
        open,
        ...(run === null ? {} : { run }),
        ...(NOTE_COLORS[color] ? { color: NOTE_COLORS[color] } : {}),
      }));
  }

  private async read(): Promise<void> {
    const found = await this.ctx.saved.get<unknown>(ENTRY);
    this.take(found, found ? readNotes(found.value) : []);
  }

  private take(entry: Pick<SavedEntry, 'version'> | null, notes: readonly Note[]): void {
    batch(() => {
      this.version = entry?.version ?? null;
      this.shared.value = notes;
    });
  }
}

let common: Notes | null = null;

/** The notes of the page: those that charts show and the dialog changes. */
export function notesOf(ctx: PluginContext): Notes {
  common ??= new Notes(ctx);
  return common;
}
