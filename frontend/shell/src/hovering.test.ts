import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hoverRuns, rulesOf } from './hovering';
import { Hovered } from './state/pointing';

describe('hovered runs', () => {
  let hovered: Hovered;
  let frames: (() => void)[];
  const frame = (): void => frames.splice(0).forEach((run) => run());
  const shown = (): readonly string[] => {
    frame();
    return hovered.runs.value;
  };
  beforeEach(() => {
    frames = [];
    vi.stubGlobal('requestAnimationFrame', (run: () => void) => frames.push(run));
    hovered = new Hovered();
    document.body.innerHTML =
      '<ul><li data-hover-run="a/1"><b id="a">a</b></li><li data-hover-run="b"><input id="b" /></li></ul>';
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    document.body.innerHTML = '';
  });

  it('change once a frame, and only if they are others', () => {
    const seen: (readonly string[])[] = [];
    hovered.runs.subscribe((runs) => seen.push(runs));
    for (const run of ['a', 'b', 'c']) hovered.set([run]);
    frame();
    hovered.set(['c']);
    frame();
    expect(seen).toEqual([[], ['c']]);
  });

  it('end when the pointer leaves what hovered them, and not when another is left late', () => {
    hovered.set(['a'], 'scalar');
    hovered.set(['b']);
    hovered.set([], 'scalar'); // the chart tells a frame later that the pointer has left it
    expect(shown()).toEqual(['b']);
    hovered.set([]);
    expect(shown()).toEqual([]);
  });

  it('are those of the element under the pointer or with the focus, wherever it is', () => {
    hoverRuns(hovered);
    document.querySelector('#a')?.dispatchEvent(new Event('pointerover', { bubbles: true }));
    expect(shown()).toEqual(['a/1']);
    document.body.dispatchEvent(new Event('pointerover', { bubbles: true }));
    expect(shown()).toEqual([]);
    document.querySelector<HTMLElement>('#b')?.focus();
    expect(shown()).toEqual(['b']);
  });

  it('that nothing else hovers are left alone by a pointer over other elements', () => {
    hoverRuns(hovered);
    hovered.set(['of a group', 'of runs']);
    document.body.dispatchEvent(new Event('pointerover', { bubbles: true }));
    expect(shown()).toEqual(['of a group', 'of runs']);
  });

  it('fade the cards of all other runs', () => {
    expect(rulesOf([])).toBe('');
    const [fades = '', stands = ''] = rulesOf(['a b', 'b']).split('\n');
    document.body.innerHTML = '<p></p><i></i><b></b>';
    [...document.body.children].forEach((card, at) => card.setAttribute('data-card-run', ['a b', 'b', 'c'][at] ?? ''));
    const of = (rule: string): string =>
      [...document.querySelectorAll(rule.slice(0, rule.indexOf(' {')))].map(({ tagName }) => tagName).join();
    expect([of(fades), of(stands)]).toEqual(['B', 'P,I']);
  });
});
