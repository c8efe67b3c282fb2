/** A stretch of the timeline in ui.perfetto.dev, in a window of its own. */
import { useSignal } from '@preact/signals';
import { Dialog, message } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { timeText } from '../units';
import { lengthOf } from './span';
import type { TimelineState } from './state';

export const PERFETTO = 'https://ui.perfetto.dev';
const EVERY = 50; // ms
const PATIENCE = 30_000; // ms

/** Asks a window until it says that it is ready, then hands the trace over; it stays in the browser. */
export async function handOver(
  target: Window,
  trace: Promise<ArrayBuffer>,
  title: string,
  stop: AbortSignal,
): Promise<void> {
  const ready = new Promise<void>((resolve, reject) => {
    const end = (): void => {
      clearInterval(timer);
      removeEventListener('message', told);
    };
    const told = (event: MessageEvent): void => {
      if (event.source !== target || event.origin !== PERFETTO || event.data !== 'PONG') return;
      end();
      resolve();
    };
    const until = Date.now() + PATIENCE;
    const timer = setInterval(() => {
      if (stop.aborted || target.closed || Date.now() > until) {
        end();
        reject(new Error(stop.aborted || target.closed ? 'closed' : 'silent'));
      } else target.postMessage('PING', PERFETTO);
    }, EVERY);
    addEventListener('message', told);
  });
  const [buffer] = await Promise.all([trace, ready]);
  target.postMessage({ perfetto: { buffer, title, fileName: `${title}.json` } }, PERFETTO, [buffer]);
}

export function PerfettoDialog({ state }: { readonly state: TimelineState }): JSX.Element {
  const { t: say } = state.page;
  const { board } = state;
  const { from, to, tracks } = state.subject.value;
  const status = useSignal<string | null>(null);
  const busy = useSignal(false);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const close = (): void => void (state.dialog.value = null);
  const open = async (): Promise<void> => {
    const target = window.open(PERFETTO);
    if (!target) {
      status.value = say('timeline.perfetto.blocked');
      return;
    }
    busy.value = true;
    status.value = say('timeline.perfetto.waiting');
    const { data } = state.page.ctx;
    const { signal } = stop.current;
    const query = {
      ...board.profiles.query.value,
      from: Math.floor(from),
      to: Math.ceil(to),
      tracks: tracks?.join() ?? null,
    };
    const trace = fetch(data.href('trace', query), { signal }).then(
      // `json` rejects with the host's reason
      (answer) => (answer.ok ? answer.arrayBuffer() : data.json<never>('trace', query, { signal })),
    );
    try {
      await handOver(target, trace, board.profiles.chosenInfo.value?.name || 'profile', signal);
      close();
    } catch (error) {
      const reason = message(error);
      status.value = reason === 'closed' || reason === 'silent' ? say(`timeline.perfetto.${reason}`) : reason;
    } finally {
      busy.value = false;
    }
  };
  return (
    <Dialog
      name="perfetto"
      title={say('timeline.perfetto')}
      onClose={close}
      foot={
        <>
          <button type="button" data-action="cancel" onClick={close}>
            {say('timeline.cancel')}
          </button>
          <button
            type="button"
            class="primary"
            data-action="open-perfetto"
            disabled={busy.value}
            onClick={() => void open()}
          >
            {say('timeline.perfetto.open')}
          </button>
        </>
      }
    >
      <p>{say('timeline.perfetto.text', { length: timeText(lengthOf({ from, to }), state.page.locale.value) })}</p>
      <p class="hint">{say('timeline.perfetto.needs')}</p>
      {status.value !== null && (
        <p role="status" data-testid="perfetto-status">
          {status.value}
        </p>
      )}
    </Dialog>
  );
}
