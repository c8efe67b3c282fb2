import { render, type JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { act } from 'preact/test-utils';
import { describe, expect, it } from 'vitest';
import { snapped, useChart, type Chart } from './chart';

const calls: string[] = [];

function mount(_host: HTMLElement, first: string): Chart<string> {
  calls.push(`made of ${first}`);
  return {
    update: (props) => calls.push(`update to ${props}`),
    toSVG: () => '',
    toPNG: () => Promise.resolve(new Blob()),
    dispose: () => calls.push('dispose'),
  };
}

function Card({ about, text }: { readonly about: string; readonly text: string }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart<string> | null>(null);
  useChart(mount, text, host, chart, about);
  return <div ref={host} />;
}

it('a chart in a component is made once for its subject, follows what is rendered, and ends with it', async () => {
  const host = document.createElement('div');
  const show = (about: string, text: string): Promise<void> =>
    act(() => render(<Card about={about} text={text} />, host));
  const heard = (): string[] => calls.splice(0);
  await show('a', '1');
  expect(heard()).toEqual(['made of 1']);
  expect(host.querySelector('[data-ready]')).not.toBeNull();
  await show('a', '2');
  expect(heard()).toEqual(['update to 2']);
  await show('b', '3');
  expect(heard()).toEqual(['update to 3', 'dispose', 'made of 3']);
  await act(() => render(null, host));
  expect(heard()).toEqual(['dispose']);
});

describe('size of a canvas in device pixels', () => {
  it.each([
    [1, 278, 319.33, 319],
    [1, 611.67, 319.33, 319],
    [1, 610.5, 319, 319],
    [1, 610.33, 319.33, 320],
    [1.25, 0, 255.2, 319],
    [1.25, 10.4, 100, 125],
    [1.5, 0.33, 319.33, 479],
    [2, 278.25, 319.33, 638],
  ])(
    'at ratio %d from %d, %d CSS pixels wide, lies between two edges of device pixels',
    (ratio, start, length, pixels) => {
      expect(snapped(start, length, ratio)).toBe(pixels);
    },
  );
});
