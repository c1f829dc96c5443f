-- POkA, a front as a picture: k against GLM
SELECT anonopt.front_svg('adult', '{k,glm}');
