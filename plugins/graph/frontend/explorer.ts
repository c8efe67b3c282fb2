import { message, statusOf, type Page, type Setting } from '@insight-host/kit';
import { batch, effect, signal, untracked } from '@preact/signals';
import { followed, framed, opening, type Camera } from './drawing/camera';
import { layoutInput, planOf, type Size } from './drawing/plan';
import { frameSize, isWithin, sceneOf, type Opened, type Rect, type Scene } from './drawing/scene';
import type { Layouts } from './layout/layouts';
import type { Looks } from './looks';
import type { Records, Sources } from './records';
import type { Source } from './source';

/** Nodes that a drawing has at most: then what was opened first is closed. */
const MOST_NODES = 600;
const GONE = 404; // HTTP
const MOVE = 200; // ms in which nodes go to their new places

/** What of the tab the drawing follows, and moves. */
interface ExplorerParts {
  readonly page: Page;
  readonly records: Records;
  readonly looks: Looks;
  readonly sources: Sources;
  /** Texts of edges. */
  readonly texts: Setting<boolean>;
}

/** Keeps the drawing in step with what is opened: asks for scopes, has them laid out, and moves the camera along. */
export class Explorer {
  readonly scene = signal<Scene | null>(null);
  /** The part of the page that it is drawn on. */
  readonly view = signal<Size>({ width: 0, height: 0 });
  readonly busy = signal(false);
  readonly failure = signal<string | null>(null);
  /** Nodes are on their way to new places. */
  readonly moving = signal(false);
  private stop = new AbortController();
  private shown: string | null = null;
  private anchor: string | null = null;
  private goal: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly board: ExplorerParts,
    private readonly layouts: Layouts,
  ) {
    const { page } = board;
    page.until(
      effect(() => {
        const { sources, looks, texts } = this.board;
        const wanted = [sources.current.value, looks.expanded.value, texts.value] as const;
        untracked(() => void this.settle(...wanted));
      }),
    );
    page.until(
      effect(() => {
        if (this.view.value.width > 0) untracked(() => this.arrive());
      }),
    );
    page.until(() => this.dispose());
  }

  private dispose(): void {
    this.stop.abort();
    this.layouts.dispose();
    clearTimeout(this.timer);
  }

  retry(): void {
    const { sources, looks, texts } = this.board;
    void this.settle(sources.current.peek(), looks.expanded.peek(), texts.peek());
  }

  /** The camera position, set by the user or not. */
  cameraOf(scene: Scene): Camera {
    return this.board.looks.camera.value ?? opening(scene, this.view.value);
  }

  /** Opens or closes a scope; it stays where it is on the screen. */
  toggle(id: string): void {
    const scene = this.scene.peek();
    if (!scene) return;
    const now = this.openIds(scene);
    this.anchor = id;
    const selected = this.board.looks.selected.peek();
    if (now.includes(id)) {
      if (selected !== null && isWithin(scene, selected, id)) this.board.looks.select(id);
      this.board.looks.expanded.set(now.filter((other) => other !== id && !isWithin(scene, other, id)));
    } else this.board.looks.expanded.set([...now, id]);
  }

  closeAll(): void {
    this.board.looks.expanded.set([]);
    this.board.looks.camera.set(null);
  }

  /** Opens what a node is in, selects it, and brings it into the middle. */
  async reveal(id: string): Promise<void> {
    const source = this.board.sources.graph.peek();
    const scene = this.scene.peek();
    if (!scene?.places.has(id) && source) {
      try {
        const { path } = await source.node(id);
        if (source !== this.board.sources.graph.peek()) return;
        const now = this.scene.peek() ? this.openIds(this.scene.peek() as Scene) : [];
        this.goal = id;
        this.board.looks.select(id);
        this.board.looks.expanded.set([...now, ...path.map((step) => step.id).filter((step) => !now.includes(step))]);
      } catch (error) {
        this.board.page.ctx.notify('error', message(error));
      }
      return;
    }
    this.board.looks.select(id);
    const place = scene?.places.get(id);
    if (scene && place) this.board.looks.camera.set(framed(place, this.view.peek(), this.cameraOf(scene)));
  }

  private openIds(scene: Scene): readonly string[] {
    return this.board.looks.expanded.peek() ?? scene.frames.map((frame) => frame.node.id);
  }

  private async settle(source: Source | null, expanded: readonly string[] | null, texts: boolean): Promise<void> {
    this.stop.abort();
    const stop = new AbortController();
    this.stop = stop;
    this.failure.value = null;
    if (!source) {
      this.scene.value = null;
      this.busy.value = false;
      return;
    }
    if (this.board.records.subject.peek() !== this.shown) this.scene.value = null;
    this.layouts.warm();
    this.busy.value = true;
    try {
      const root = await this.opened(source, '', expanded && new Set(expanded), texts, stop.signal);
      if (!stop.signal.aborted) this.put(sceneOf(root.opened), expanded);
    } catch (error) {
      if (!stop.signal.aborted) this.failure.value = message(error);
    }
    if (this.stop === stop) this.busy.value = false;
  }

  private async opened(
    source: Source,
    id: string,
    expanded: ReadonlySet<string> | null,
    texts: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly key: string; readonly opened: Opened }> {
    const scope = await source.scope(id);
    signal.throwIfAborted();
    const plan = planOf(scope);
    const open = expanded ?? new Set(source.opens(scope));
    const found = await Promise.all(
      scope.nodes
        .filter((node) => node.children > 0 && open.has(node.id))
        .map(async (node) => {
          try {
            return [node.id, await this.opened(source, node.id, expanded, texts, signal)] as const;
          } catch (error) {
            signal.throwIfAborted();
            // it stays closed; of a file that was just rewritten the list has the reason
            if (statusOf(error) === GONE) void this.board.records.load();
            else this.board.page.ctx.notify('error', message(error));
            return null;
          }
        }),
    );
    const members = found.filter((member) => member !== null);
    const sizes = new Map(members.map(([member, { opened }]) => [member, frameSize(opened.layout)]));
    // Members bring their sizes: a layout depends on all that is opened below it, and on nothing above.
    const key = JSON.stringify([source.shape, texts, id, members.map(([, { key: inner }]) => inner)]);
    const layout = await this.layouts.get(key, () => layoutInput(plan, sizes, texts), signal);
    return {
      key,
      opened: { scope, plan, layout, members: new Map(members.map(([member, { opened }]) => [member, opened])) },
    };
  }

  private put(scene: Scene, expanded: readonly string[] | null): void {
    if (expanded && scene.nodes.length > MOST_NODES && this.closeOldest(scene, expanded)) return;
    const before = this.board.records.subject.peek() === this.shown ? this.scene.peek() : null;
    this.shown = this.board.records.subject.peek();
    // an address that says what is selected and not what is seen
    if (!before && this.board.looks.camera.peek() === null) this.goal ??= this.board.looks.selected.peek();
    const camera = this.cameraFor(before, scene);
    this.anchor = null;
    batch(() => {
      if (before && before !== scene) this.move();
      this.scene.value = scene;
      if (camera !== undefined) this.board.looks.camera.set(camera);
    });
  }

  /** Brings into the middle what was to be seen before the page had a place for the drawing. */
  private arrive(): void {
    const scene = this.scene.peek();
    const place = this.goal === null ? undefined : scene?.places.get(this.goal);
    if (!scene || !place) return;
    this.goal = null;
    this.board.looks.camera.set(framed(place, this.view.peek(), this.cameraOf(scene)));
  }

  private cameraFor(before: Scene | null, scene: Scene): Camera | null | undefined {
    const view = this.view.peek();
    const goal = this.goal === null ? undefined : scene.places.get(this.goal);
    if (goal && view.width === 0) return undefined;
    this.goal = null;
    const now = before ? this.cameraOf(before) : (this.board.looks.camera.peek() ?? opening(scene, view));
    if (goal) return framed(goal, view, now);
    if (!before) return undefined;
    const fixed = [this.anchor, this.board.looks.selected.peek(), nearest(before, scene, now)].find(
      (id) => id !== null && before.places.has(id) && scene.places.has(id),
    );
    if (fixed === undefined || fixed === null) return null;
    // nobody moved it: the drawing opens again
    if (this.board.looks.camera.peek() === null && this.anchor === null) return undefined;
    return followed(now, before.places.get(fixed) as Rect, scene.places.get(fixed) as Rect);
  }

  private move(): void {
    this.moving.value = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.moving.value = false), MOVE);
  }

  /** Closes what was opened first and does not contain what was opened last. */
  private closeOldest(scene: Scene, expanded: readonly string[]): boolean {
    const last = this.goal ?? expanded.at(-1) ?? '';
    const drawn = new Map(scene.frames.map((frame) => [frame.node.id, frame]));
    const oldest = expanded.find((id) => id !== last && drawn.has(id) && !isWithin(scene, last, id));
    if (oldest === undefined) return false;
    this.board.page.ctx.notify(
      'info',
      this.board.page.t('closed', { name: drawn.get(oldest)?.node.name ?? oldest, count: MOST_NODES }),
    );
    this.anchor ??= expanded.at(-1) ?? null;
    this.board.looks.expanded.set(expanded.filter((id) => id !== oldest && !isWithin(scene, id, oldest)));
    return true;
  }
}

/** The node that is in both drawings and was nearest to the middle of the view. */
function nearest(before: Scene, after: Scene, { x, y }: Camera): string | null {
  let [best, distance] = [null as string | null, Infinity];
  for (const [id, place] of before.places) {
    const far = (place.x + place.width / 2 - x) ** 2 + (place.y + place.height / 2 - y) ** 2;
    if (far < distance && after.places.has(id)) [best, distance] = [id, far];
  }
  return best;
}
