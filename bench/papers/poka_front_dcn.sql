-- POkA, a front as a picture: k against DCN
SELECT anonopt.front_svg('adult', '{k,dcn}');
