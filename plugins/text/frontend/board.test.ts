import { Page } from '@insight-host/kit';
import { fakeContext } from '@insight-host/kit/testing';
import { expect, it } from 'vitest';
import { CardHeight } from './board';

it('cards are as high as the longest text needs that has been shown, within limits', () => {
  const ctx = fakeContext(['r']);
  const page = new Page(ctx);
  const height = new CardHeight(page);
  const seen = [0, 20, 100, 20, 5000].map((text) => {
    height.fit(text);
    return height.look.value;
  });
  expect(seen).toEqual(['height-160', 'height-160', 'height-280', 'height-280', 'height-340']);
  page.dispose();
});
