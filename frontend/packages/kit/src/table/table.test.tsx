import { signal } from '@preact/signals';
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Column, Rows, TableProps } from './contract';
import { rowsOf } from './contract';
import { EditCell, type EditCellProps } from './edit';
import type { Widths } from './layout';
import { Table } from './table';

interface Person {
  readonly name: string;
  readonly age: number;
}

const PEOPLE: readonly Person[] = Array.from({ length: 500 }, (_, at) => ({ name: `p${at}`, age: at / 3 }));
const NAME: Column<Person> = {
  key: 'name',
  title: 'Name',
  kind: 'text',
  width: 100,
  cell: ({ name }) => ({ content: name }),
  value: ({ name }) => name,
};
const AGE: Column<Person> = {
  key: 'age',
  title: 'Age',
  kind: 'number',
  width: 60,
  cell: ({ age }) => ({ content: age.toFixed(1) }),
  value: ({ age }) => age,
};
const wide = (count: number): readonly Column<Person>[] =>
  Array.from({ length: count }, (_, at) => ({ ...AGE, key: `age${at}` }));

let host: HTMLElement;

beforeEach(() => {
  // A table of 420 by 220 pixels: ten rows of 20 below the heads.
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(420);
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(220);
  host = document.body.appendChild(document.createElement('div'));
});

afterEach(() => {
  render(null, host);
  host.remove();
});

function shown(more: Partial<TableProps<Person>> = {}): HTMLElement {
  act(() =>
    render(
      <Table<Person>
        name="people"
        label="People"
        rows={rowsOf(PEOPLE)}
        frozen={[NAME]}
        columns={[AGE]}
        rowHeight={20}
        {...more}
      />,
      host,
    ),
  );
  return host.querySelector<HTMLElement>('[data-testid=people]') as HTMLElement;
}

function press(grid: HTMLElement, ...keys: readonly string[]): void {
  for (const text of keys) {
    const parts = text.split('+');
    const key = parts.at(-1) as string;
    act(
      () =>
        void grid.dispatchEvent(
          new KeyboardEvent('keydown', {
            key,
            shiftKey: parts.includes('Shift'),
            ctrlKey: parts.includes('Control'),
            altKey: parts.includes('Alt'),
            bubbles: true,
            cancelable: true,
          }),
        ),
    );
  }
}

const names = (grid: HTMLElement): (string | null)[] =>
  [...grid.querySelectorAll('[role=rowheader]')].map((cell) => cell.textContent);
const active = (grid: HTMLElement): Element | null =>
  grid.querySelector(`#${CSS.escape(grid.getAttribute('aria-activedescendant') ?? '')}`);

describe('what exists of a table', () => {
  it('is what is in sight, and assistive technology learns how much there is', () => {
    const grid = shown({ columns: wide(50) });
    expect(names(grid)).toEqual(PEOPLE.slice(0, 10).map(({ name }) => name));
    expect(grid.querySelectorAll('.head [role=columnheader]')).toHaveLength(1 + 6); // (420 - 100) / 60
    expect([grid.getAttribute('aria-rowcount'), grid.getAttribute('aria-colcount')]).toEqual(['501', '51']);
    const row = grid.querySelector('[role=row]:not(.head)');
    expect(row?.getAttribute('aria-rowindex')).toBe('2');
    expect(
      [...(row?.querySelectorAll('[aria-colindex]') ?? [])].map((cell) => cell.getAttribute('aria-colindex')),
    ).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  });

  it('follows the keys to the last row, and says what is in sight', () => {
    const look = vi.fn();
    const rows: Rows<Person> = { count: PEOPLE.length, at: (row) => PEOPLE[row] ?? null, look };
    const grid = shown({ rows });
    expect(look).toHaveBeenLastCalledWith({ row: 0, rowEnd: 10, column: 0, columnEnd: 1 });
    press(grid, 'End');
    expect(names(grid).at(-1)).toBe('p499');
    expect(look).toHaveBeenLastCalledWith({ row: 490, rowEnd: 500, column: 0, columnEnd: 1 });
    expect(active(grid)?.textContent).toBe('p499');
  });

  it('reaches the last of a billion rows', () => {
    const grid = shown({ rows: { count: 1e9, at: (row) => ({ name: String(row), age: 0 }) } });
    press(grid, 'End');
    expect(names(grid).at(-1)).toBe('999999999');
    const tops = [...grid.querySelectorAll<HTMLElement>('.line:not(.head)')].map((line) => parseFloat(line.style.top));
    expect(Math.max(...tops)).toBeLessThan(1e5); // places that a browser has pixels for
  });

  it('is an empty cell until the row is loaded', () => {
    const grid = shown({ rows: { count: 3, at: () => null } });
    expect(grid.querySelectorAll('.cell.absent')).toHaveLength(6);
  });

  it('begins at the first row when something else is shown', () => {
    const grid = shown({ question: 'a' });
    press(grid, 'End');
    shown({ question: 'b' });
    expect(names(grid)[0]).toBe('p0');
    expect(active(grid)?.textContent).toBe('p0');
  });

  it('keeps a row that keys act on when rows go away', () => {
    const grid = shown();
    press(grid, 'End');
    shown({ rows: rowsOf(PEOPLE.slice(0, 5)) });
    expect(active(grid)?.textContent).toBe('p4');
  });
});

describe('a table of whole rows', () => {
  it('opens a row by Enter and picks it by Space', () => {
    const [onOpen, onPick] = [vi.fn(), vi.fn()];
    const grid = shown({ onOpen, onPick });
    press(grid, 'ArrowDown', 'Enter', 'ArrowDown', ' ');
    expect(onOpen).toHaveBeenCalledExactlyOnceWith(PEOPLE[1]);
    expect(onPick).toHaveBeenCalledExactlyOnceWith(PEOPLE[2], false);
  });

  it('presses the button of a cell by Enter', () => {
    const pressed = vi.fn();
    const grid = shown({
      columns: [{ ...AGE, cell: ({ name }) => ({ content: <button type="button" onClick={() => pressed(name)} /> }) }],
    });
    press(grid, 'ArrowDown', 'ArrowRight', 'Enter');
    expect(pressed).toHaveBeenCalledExactlyOnceWith('p1');
  });

  it('sorts by the column that keys act on, with Shift by several', () => {
    const turn = vi.fn();
    const grid = shown({ sort: { by: [{ key: 'age', down: true }], turn } });
    expect([...grid.querySelectorAll('[role=columnheader]')].map((head) => head.getAttribute('aria-sort'))).toEqual([
      'none',
      'descending',
    ]);
    press(grid, 's', 'ArrowRight', 'Shift+s');
    expect(turn.mock.calls).toEqual([
      ['name', false],
      ['age', true],
    ]);
  });

  it('copies the marked rows in full, under their heads', () => {
    const copied = vi.fn();
    const grid = shown({ onCopyRows: copied });
    press(grid, 'ArrowDown', 'Shift+ArrowDown', 'Control+c');
    expect(copied).toHaveBeenCalledExactlyOnceWith(
      [
        ['Name', 'Age'],
        ['p1', 1 / 3],
        ['p2', 2 / 3],
      ],
      2,
    );
    press(grid, 'Control+a', 'Control+c');
    expect(copied.mock.lastCall?.[0]).toHaveLength(501);
  });

  it('says how many marked rows there are, also of rows that are not loaded', () => {
    const copied = vi.fn();
    const grid = shown({
      rows: { count: 9, at: (row) => (row < 2 ? (PEOPLE[row] as Person) : null) },
      onCopyRows: copied,
    });
    press(grid, 'Control+a', 'Control+c');
    expect(copied).toHaveBeenCalledExactlyOnceWith(
      [
        ['Name', 'Age'],
        ['p0', 0],
        ['p1', 1 / 3],
      ],
      9,
    );
  });

  it('leaves keys of a field in a cell to the field', () => {
    const onOpen = vi.fn();
    const grid = shown({ onOpen, columns: [{ ...AGE, cell: () => ({ content: <input /> }) }] });
    press(grid.querySelector('input') as HTMLElement, 'Enter');
    expect(onOpen).not.toHaveBeenCalled();
  });

  it('changes the width of a column by Alt and an arrow, and by a drag of its edge', () => {
    const widths = signal<Widths>(new Map());
    const grid = shown({ widths });
    press(grid, 'ArrowRight', 'Alt+ArrowRight');
    expect([...widths.value]).toEqual([['age', 76]]);
    const edge = grid.querySelector<HTMLElement>('[data-column=age] .edge') as HTMLElement;
    const send = (type: string, clientX: number): void =>
      void act(
        () => void edge.dispatchEvent(new PointerEvent(type, { clientX, pointerId: 1, button: 0, bubbles: true })),
      );
    edge.setPointerCapture = () => undefined;
    send('pointerdown', 176);
    send('pointermove', 250);
    send('pointerup', 250);
    send('pointermove', 400);
    expect([...widths.value]).toEqual([['age', 150]]);
    expect(grid.querySelector<HTMLElement>('.head [data-column=age]')?.style.width).toBe('150px');
    act(() => void edge.dispatchEvent(new MouseEvent('dblclick', { bubbles: true })));
    expect(widths.value.size).toBe(0);
  });
});

describe('a table of cells', () => {
  it('selects cells of the columns that scroll, and copies their area', () => {
    const copied = vi.fn();
    const grid = shown({
      columns: { count: 4, width: 60, at: (place) => ({ ...AGE, key: String(place) }) },
      onCopyCells: copied,
    });
    expect(grid.getAttribute('aria-activedescendant')).toBeNull();
    press(grid, 'ArrowDown', 'ArrowRight', 'Shift+ArrowDown', 'Shift+ArrowRight', 'Control+c');
    expect(copied).toHaveBeenCalledExactlyOnceWith({ row: 0, rowEnd: 2, column: 1, columnEnd: 3 });
    expect(grid.querySelectorAll('[role=gridcell][aria-selected=true]')).toHaveLength(4);
    press(grid, 'Escape');
    expect(grid.querySelectorAll('[aria-selected=true]')).toHaveLength(0);
  });
});

describe('a table with headings', () => {
  it('opens and closes a group by the arrows in its first column', () => {
    const onPick = vi.fn();
    const expanded = signal(true);
    const grid = shown({
      tree: true,
      onPick,
      line: ({ age }) => (age === 0 ? { expanded: expanded.value, level: 1 } : { level: 2 }),
    });
    expect(grid.getAttribute('role')).toBe('treegrid');
    press(grid, 'ArrowLeft');
    expect(onPick).toHaveBeenCalledExactlyOnceWith(PEOPLE[0], false);
    act(() => void (expanded.value = false));
    expect(grid.querySelector('[aria-level="1"]')?.getAttribute('aria-expanded')).toBe('false');
    press(grid, 'ArrowRight');
    expect(onPick).toHaveBeenCalledTimes(2);
    press(grid, 'ArrowLeft');
    expect(onPick).toHaveBeenCalledTimes(2);
  });
});

describe('a text that is edited in its cell', () => {
  const [onSave, onKeep] = [vi.fn(), vi.fn()];
  beforeEach(() => vi.clearAllMocks());
  const edited = (more: Partial<EditCellProps> = {}): HTMLElement => {
    const cell = (
      <EditCell
        name="note"
        label="Note"
        kind="line"
        most={9}
        text="old"
        hint=""
        onSave={onSave}
        onKeep={onKeep}
        {...more}
      />
    );
    const grid = shown({ rows: rowsOf(PEOPLE.slice(0, 1)), columns: [{ ...AGE, cell: () => ({ content: cell }) }] });
    press(grid, 'ArrowRight', 'Enter');
    return grid;
  };
  const field = (grid: HTMLElement): HTMLInputElement => grid.querySelector('.edit') as HTMLInputElement;

  it('is saved by Enter, and the keys act on the table again', () => {
    const grid = edited();
    field(grid).value = 'new ';
    press(field(grid), 'Enter');
    expect(onSave).toHaveBeenCalledExactlyOnceWith('new');
    expect(document.activeElement).toBe(grid);
    expect(field(grid)).toBeNull();
  });

  it('is kept by Escape', () => {
    const grid = edited();
    field(grid).value = 'new';
    press(field(grid), 'Escape');
    expect(onSave).not.toHaveBeenCalled();
    expect(onKeep).toHaveBeenCalledExactlyOnceWith('new');
  });

  it('begins with the text that could not be saved', () => {
    const grid = edited({ refused: 'typed once' });
    expect(field(grid).value).toBe('typed once');
  });
});
