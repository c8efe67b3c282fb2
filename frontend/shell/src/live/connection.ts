/**
 * How the page learns what changed: a stream of server-sent events while the page is visible,
 * polling where streams are refused, and calm retries while the server is away.
 */
import { signal } from '@preact/signals';
import { getJson, href } from '../data/http';

export interface ServerChanges {
  readonly generation: number;
  /** Names the server process that counts the generations. */
  readonly boot?: string;
  readonly runs: boolean;
  /** Series that changed may have disappeared. */
  readonly gone?: boolean;
  /** Another number when annotations changed, whoever wrote them. */
  readonly annotations?: number;
  /** Another number when something was saved under a name, on whatever page. */
  readonly saved?: number;
  /** Another number when the listing of plugins changed. */
  readonly plugins?: number;
  /** Tags by run by plugin; null: anything may have changed. */
  readonly series: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> | null;
}

type LiveState = 'connecting' | 'live' | 'polling' | 'disconnected';

interface EventStream {
  close(): void;
}
/** What the connection needs of the world; tests pass their own. */
export interface LiveWorld {
  poll(since: string, signal: AbortSignal): Promise<ServerChanges>;
  stream(since: string, on: { open(): void; changes(changes: ServerChanges): void; error(): void }): EventStream;
  after(milliseconds: number, run: () => void): () => void;
}

const POLL_EVERY = 2000;
const STREAM_AGAIN_AFTER = 15; // polls
const LONGEST_WAIT = 30_000;

export class LiveConnection {
  readonly state = signal<LiveState>('connecting');
  /** Milliseconds until the next attempt while disconnected. */
  readonly retryIn = signal(0);
  private generation = 0;
  private boot = '';
  private annotations: number | undefined;
  private saved: number | undefined;
  private plugins: number | undefined;
  private visible = false;
  private failures = 0;
  private polls = 0;
  private current: EventStream | null = null;
  private request: AbortController | null = null;
  private cancelTimer: (() => void) | null = null;

  constructor(
    private readonly world: LiveWorld,
    private readonly onChanges: (changes: ServerChanges) => void,
  ) {}

  /** What the page has already; call before it becomes visible. */
  startFrom(generation: number, boot = ''): void {
    this.generation = generation;
    this.boot = boot;
  }

  private get cursor(): string {
    return this.boot ? `${this.boot}-${this.generation}` : String(this.generation);
  }

  /** Browsers allow six connections per host, so a page in the background holds none. */
  setVisible(visible: boolean): void {
    if (visible === this.visible) return;
    this.visible = visible;
    if (visible) void this.catchUp();
    else this.release();
  }

  retry(): void {
    if (!this.visible) return;
    this.release();
    void this.catchUp();
  }

  private release(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
    this.current?.close();
    this.current = null;
    this.request?.abort();
    this.request = null;
  }

  private wait(milliseconds: number, run: () => void): void {
    this.cancelTimer?.();
    this.cancelTimer = this.world.after(milliseconds, () => {
      this.cancelTimer = null;
      run();
    });
  }

  /** Asks once for what was missed; true when the server answered. */
  private async ask(): Promise<boolean> {
    const request = new AbortController();
    this.request = request;
    try {
      const changes = await this.world.poll(this.cursor, request.signal);
      if (request.signal.aborted) return false;
      this.failures = 0;
      this.accept(changes);
      return true;
    } catch {
      if (!request.signal.aborted) this.lost();
      return false;
    }
  }

  private async catchUp(): Promise<void> {
    if (await this.ask()) this.open();
  }

  private lost(): void {
    this.failures += 1;
    const delay = Math.min(LONGEST_WAIT, 1000 * 2 ** (this.failures - 1));
    this.state.value = 'disconnected';
    this.retryIn.value = delay;
    this.wait(delay, () => void this.catchUp());
  }

  private open(): void {
    let opened = false;
    const stream = this.world.stream(this.cursor, {
      open: () => {
        if (this.current !== stream) return;
        opened = true;
        this.state.value = 'live';
      },
      changes: (changes) => {
        if (this.current === stream) this.accept(changes);
      },
      error: () => {
        if (this.current !== stream) return;
        stream.close();
        this.current = null;
        // A stream that worked and broke: the server may be gone. One that never opened was refused.
        if (opened) void this.catchUp();
        else this.pollLater();
      },
    });
    this.current = stream;
  }

  private pollLater(): void {
    this.state.value = 'polling';
    this.wait(POLL_EVERY, () => void this.pollOnce());
  }

  private async pollOnce(): Promise<void> {
    if (!(await this.ask())) return;
    this.polls += 1;
    if (this.polls % STREAM_AGAIN_AFTER === 0) this.open();
    else this.pollLater();
  }

  private accept(changes: ServerChanges): void {
    // Generations only grow: a smaller one means that the server was restarted.
    const restarted = (changes.boot ?? this.boot) !== this.boot || changes.generation < this.generation;
    const others =
      changes.annotations !== this.annotations || changes.saved !== this.saved || changes.plugins !== this.plugins;
    if (!restarted && changes.generation === this.generation && !others) return;
    this.generation = changes.generation;
    this.annotations = changes.annotations;
    this.saved = changes.saved;
    this.plugins = changes.plugins;
    this.boot = changes.boot ?? this.boot;
    this.onChanges(restarted ? { ...changes, runs: true, series: null } : changes);
  }
}

/** The browser's side of the live connection. */
export const browserWorld: LiveWorld = {
  poll: (since, signal) => getJson<ServerChanges>('data/changes', { since }, signal),
  stream: (since, on) => {
    const source = new EventSource(href('data/events', { since }));
    source.onopen = () => on.open();
    source.onerror = () => on.error();
    source.onmessage = (event) => {
      try {
        on.changes(JSON.parse(String(event.data)) as ServerChanges);
      } catch {
        on.error(); // a proxy that rewrites streams: polling still works
      }
    };
    return source;
  },
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
