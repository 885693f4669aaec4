// A count with its noun; no other line of the scripts knows when a plural is needed.
export const counted = (count, noun, nouns = `${noun}s`) =>
  `${count.toLocaleString("en")} ${count === 1 ? noun : nouns}`;
