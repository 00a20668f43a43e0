export const setup = {
  title: 'Set up Guidepost',
};
