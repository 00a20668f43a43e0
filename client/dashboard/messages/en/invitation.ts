export const invitation = {
  title: 'Invitation',
};
