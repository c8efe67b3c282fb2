import { render, type JSX } from 'preact';
import { act } from 'preact/test-utils';
import { useEffect } from 'preact/hooks';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Card } from './card';
import { cardParts, type CardParts } from '../base/card_parts';
import type { CardKey } from '../base/card_key';
import { Page } from '../base/page';
import { fakeContext } from '../testing';

let host: HTMLElement;
let board: CardParts;
let isBroken: boolean;

/** Throws what a bug throws, while it is rendered or after that. */
function Broken({ late }: { readonly late: boolean }): JSX.Element {
  useEffect(() => {
    if (isBroken && late) throw new TypeError('x is undefined');
  }, []);
  if (isBroken && !late) throw new TypeError('x is undefined');
  return <b>whole</b>;
}

const draw = (content: (card: CardKey) => JSX.Element): Promise<void> =>
  act(() =>
    render(
      <>
        {['one', 'two', 'three'].map((run) => (
          <Card key={run} board={board} card={{ tag: 'loss', run }} content={content} />
        ))}
      </>,
      host,
    ),
  );
const texts = (): readonly (string | null)[] =>
  [...host.querySelectorAll('[data-testid="card"]')].map((card) => card.textContent);

beforeEach(() => {
  isBroken = true;
  board = cardParts(new Page(fakeContext(['one', 'two', 'three'])), false);
  host = document.body.appendChild(document.createElement('div'));
  vi.spyOn(console, 'error').mockReturnValue(undefined);
});
afterEach(() => {
  render(null, host);
  host.remove();
  board.page.dispose();
});

it.each([
  ['its component', false],
  ['an effect of it', true],
])('a card whose content throws in %s says so, and the others are there', async (_, late) => {
  await draw(({ run }) => (run === 'two' ? <Broken late={late} /> : <i>{run}</i>));
  expect(texts()[0]).toBe('one');
  expect(texts()[1]).toMatch(/card\.failed.*two · loss.*x is undefined.*card\.failed\.hint/);
  expect(texts()[2]).toBe('three');
  expect(console.error).toHaveBeenCalledOnce();
  isBroken = false;
  await act(() => host.querySelector<HTMLElement>('[data-action="retry"]')?.click());
  expect(texts()).toEqual(['one', 'whole', 'three']);
});

it('a function of content that throws is that of a card, too', async () => {
  await draw(({ run }) => {
    if (run === 'one') throw 'no error at all';
    return <i>{run}</i>;
  });
  expect(texts()[0]).toContain('no error at all');
  expect(texts().slice(1)).toEqual(['two', 'three']);
});
