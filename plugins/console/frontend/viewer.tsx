/** The lines of a log: only those in sight exist, however long the log is. */
import { linesInSight, offsetAt, placeOf, showing, trackOf, useSize } from '@insight-host/kit/lab';
import { useSignal } from '@preact/signals';
import type { JSX, TargetedMouseEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { levelOf, piecesOf, plainOf } from './ansi';
import type { ConsoleBoard, Lines } from './board';
import type { Log, Row } from './log';

const LINE = 19; // px, as console.css has it
const AROUND = 60; // lines that are asked for before and after those in sight

interface ViewerProps {
  readonly board: ConsoleBoard;
  readonly log: Log;
}

export function Viewer({ board, log }: ViewerProps): JSX.Element {
  const { t: say } = board.page;
  const place = useRef<HTMLDivElement>(null);
  const moved = useRef(-1); // where the page itself scrolled to
  const scrolled = useSignal(0);
  const { width, height: view } = useSize(place).value;
  const isWrapped = board.wrap.value;
  const total = log.state.value?.total ?? 0;
  void log.version.value;
  // a wrapped line may be higher than the view: the last one can be scrolled to its top
  const track = trackOf(Math.max(view, total * LINE + (isWrapped ? Math.max(0, view - LINE) : 8)), view);
  const follows = board.follows.value;
  const offset = follows ? track.total - track.view : Math.min(offsetAt(track, scrolled.value), track.total - view);
  const isAtEnd = follows && isWrapped;
  const end = isAtEnd ? total : linesInSight(offset, view, LINE, total, 1)[1];
  const first = isAtEnd
    ? Math.max(0, total - Math.ceil(view / LINE) - 1)
    : Math.max(0, Math.min(total - 1, Math.floor(offset / LINE)));

  const scrollTo = (to: number): void => {
    if (!place.current) return;
    moved.current = Math.round(placeOf(track, to));
    place.current.scrollTop = moved.current;
    scrolled.value = place.current.scrollTop;
  };
  useLayoutEffect(() => {
    if (follows) scrollTo(track.total - track.view);
  }, [follows, track.total, view, isWrapped]);
  useEffect(() => {
    if (view > 0) log.want(first - AROUND, Math.min(total, Math.max(end, first + 1) + AROUND));
  }, [log, first, end, total, view, log.forgotten.value]);
  const target = board.target.value;
  useEffect(() => {
    if (!target || view === 0 || target.line >= total) return;
    const top = target.line * LINE;
    const isSeen = !isWrapped && showing(track, offset, top - 2 * LINE, top + 3 * LINE) === offset;
    if (!isSeen) scrollTo(Math.max(0, Math.min(track.total - view, top - Math.floor(view / 3 / LINE) * LINE)));
    if (board.target.peek() === target) board.target.value = null;
  }, [target, view, total]);

  const onScroll = (): void => {
    if (!place.current) return;
    const { scrollTop } = place.current;
    scrolled.value = scrollTop;
    if (Math.abs(scrollTop - moved.current) < 2) return; // it was the page
    moved.current = -1;
    board.follows.value = !isWrapped && total > 0 && offsetAt(track, scrollTop) >= track.total - view - 2;
  };
  const rows: JSX.Element[] = [];
  for (let number = first; number < end; number++)
    rows.push(<Line key={number} {...{ board, log, number }} row={log.row(number)} lines={board.line.value} />);
  const digits = String(total).length;
  const shift = isWrapped ? 0 : -(offset - first * LINE);
  return (
    <div
      ref={place}
      class={isWrapped ? 'log wrapped' : 'log'}
      role="log"
      aria-live="off"
      aria-label={say('log.label', { file: log.tag })}
      data-total={total}
      data-first={first}
      tabIndex={0}
      onScroll={onScroll}
      style={{ '--digits': `${digits}ch` }}
    >
      <div style={{ height: `${track.length}px` }}>
        <div class="window" style={{ height: `${view}px`, width: isWrapped ? `${width}px` : undefined }}>
          <div class={isAtEnd ? 'rows at-end' : 'rows'} style={{ transform: shift ? `translateY(${shift}px)` : '' }}>
            {rows}
          </div>
        </div>
      </div>
    </div>
  );
}

interface LineProps extends ViewerProps {
  readonly number: number;
  readonly row: Row | undefined;
  readonly lines: Lines | null;
}

function Line({ board, log, number, row, lines }: LineProps): JSX.Element {
  const { t: say } = board.page;
  const shown = number + 1;
  const isChosen = lines !== null && shown >= lines.first && shown <= lines.last;
  const choose = (event: TargetedMouseEvent<HTMLButtonElement>): void => {
    const from = event.shiftKey && lines ? lines.first : shown;
    board.choose(log.tag, { first: Math.min(from, shown), last: Math.max(from, shown) });
  };
  const level = row ? levelOf(plainOf(row.text)) : '';
  return (
    <div class={`line ${level} ${isChosen ? 'chosen' : ''}`} data-line={shown}>
      <button type="button" class="number" tabIndex={-1} title={say('line.choose')} onClick={choose}>
        {shown}
      </button>
      <span class="text">
        {row
          ? piecesOf(row.text).map(({ text, look }, i) =>
              look ? (
                <span key={i} class={look}>
                  {text}
                </span>
              ) : (
                text
              ),
            )
          : '…'}
        {row && row.states > 0 && (
          <span class="note" title={say('states.hint', { count: row.states })}>
            {say('states', { count: row.states })}
          </span>
        )}
        {row && row.size > 0 && <span class="note">{say('cut', { bytes: row.size })}</span>}
      </span>
    </div>
  );
}
