import type { JSX } from 'preact';
import type { Column } from './frame';
import type { HeadText } from './sections';
import type { SayOfRuns } from './words';

const MOST = 40; // columns that are named

export interface EqualColumnsProps {
  readonly columns: readonly Column[];
  readonly heads: ReadonlyMap<string, HeadText>;
  readonly rows: Int32Array;
  readonly say: SayOfRuns;
  /** Whether the table has these columns all the same. */
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}

/** What all runs of the table have in common, in one line instead of columns. */
export function EqualColumns({ columns, heads, rows, say, open, onOpen }: EqualColumnsProps): JSX.Element | null {
  const [first] = rows;
  if (columns.length === 0 || first === undefined) return null;
  const known = columns.filter((column) => !column.isMissing(first));
  const without = columns.length - known.length;
  const texts = known
    .slice(0, MOST)
    .map((column) => ({ name: heads.get(column.name)?.text ?? column.title, value: column.text(first), column }));
  const count = rows.length.toLocaleString();
  return (
    <div class="equal-columns" data-testid="equal-columns">
      <span class="what" title={texts.map(({ column, value }) => `${column.title} = ${value}`).join('\n')}>
        {open
          ? say('rt.equal.shown', { columns: columns.length, count })
          : known.length > 0 && (
              <>
                {say('rt.equal', { count })}{' '}
                {texts.map(({ name, value, column }, at) => (
                  <span key={column.name} data-equal={column.name}>
                    {at > 0 && ' · '}
                    <span class="of">{name}</span> {value}
                  </span>
                ))}
                {known.length > MOST && ' …'}
              </>
            )}
        {!open && without > 0 && (
          <span>
            {known.length > 0 && ' · '}
            {say('rt.equal.more', { count: without })}
          </span>
        )}
      </span>
      <button
        type="button"
        class="ih-link"
        data-action="equal-columns"
        aria-expanded={open}
        onClick={() => onOpen(!open)}
      >
        {say(open ? 'rt.equal.fold' : 'rt.equal.show')}
      </button>
    </div>
  );
}
